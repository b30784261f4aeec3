"""The PSL-TD3 updates of bench/gpu in PyTorch, captured as CUDA graphs: the peer that the GPU backend is measured against.

As published, and as recommended: normalised critics that classify scaled returns, an averaged actor, no angle.
R learners side by side; both critics of a learner are one batched network. Float32 throughout. The batch is fixed,
while ours is gathered from a replay: that is in PyTorch's favour.
Prints one JSON object. usage: td3_step_cuda.py [--seconds S] [--replicas 1,6,24]
"""
import argparse
import json
import math
import time

import torch
import torch.nn.functional as F

OBS, ACT, M, H, BATCH, GROUPS, K, HYPER = 17, 6, 2, 400, 256, 8, 10, 128
ALPHA, GAMMA, TAU, LR, CLIP, ANGLE = 0.05, 0.995, 0.005, 3e-4, 100.0, 10.0
# Of the recommended step: values that a critic chooses between, the largest of them, the deviation of a target in
# widths of a bin, and the speed of the averaged actor.
ATOMS, LARGEST, SMOOTHING, AVERAGING = 101, 5.0, 0.75, 0.005


def layers(count, sizes):
    """Weights [count, in, out] and biases [count, 1, out]."""
    out = []
    for fan_in, fan_out in zip(sizes, sizes[1:]):
        out.append(torch.randn(count, fan_in, fan_out) * math.sqrt(2 / (fan_in + fan_out)))
        out.append(torch.zeros(count, 1, fan_out))
    return out


def mlp(x, p, normalise=False):
    for i in range(0, len(p) - 2, 2):
        x = torch.baddbmm(p[i + 1], x, p[i])
        x = torch.relu(F.layer_norm(x, x.shape[-1:]) if normalise else x)
    return torch.baddbmm(p[-1], x, p[-2])


class Learners:
    """The step as published. What the recommended one does differently are methods."""

    outputs = M

    def __init__(self, count):
        self.count = count
        self.base = layers(count, [OBS + M, H, H, ACT])
        self.base_target = [p.clone() for p in self.base]
        self.sizes = [p[0].numel() for p in self.base]
        self.trunk = layers(count, [M, HYPER, HYPER, K])
        self.head = torch.randn(count, K + 1, sum(self.sizes)) * 0.01
        self.critics = layers(2 * count, [OBS + M + ACT, H, H, self.outputs])
        self.targets = [p.clone() for p in self.critics]
        self.actor = self.base + self.trunk + [self.head]
        for p in self.actor + self.critics:
            p.requires_grad_(True)
        options = dict(lr=LR, capturable=True, foreach=True)
        self.critic_adam = torch.optim.Adam(self.critics, **options)
        self.actor_adam = torch.optim.Adam(self.actor, **options)
        w = torch.rand(count, GROUPS, 1)
        self.w = torch.cat([w, 1 - w], 2)
        self.rows_w = self.w.repeat_interleave(BATCH // GROUPS, 1)
        self.direction = self.rows_w / self.rows_w.norm(dim=2, keepdim=True)
        self.s, self.s2 = torch.randn(count, BATCH, OBS), torch.randn(count, BATCH, OBS)
        self.a, self.r = torch.rand(count, BATCH, ACT) * 2 - 1, torch.rand(count, BATCH, M)
        self.done, self.noise = torch.zeros(count, BATCH, 1), 0.2 * torch.randn(count, BATCH, ACT)

    def policy(self, base, x):
        """The generated and fused actors on rows [R, BATCH, in], a group of rows for each preference."""
        features = torch.cat([mlp(self.w, self.trunk), torch.ones(self.count, GROUPS, 1)], 2) * ALPHA
        flat = torch.bmm(features, self.head)
        theta, at = [], 0
        for p, size in zip(base, self.sizes):
            piece = flat[:, :, at : at + size].view(self.count, GROUPS, *p.shape[1:])
            theta.append((piece + (1 - ALPHA) * p[:, None]).flatten(0, 1))
            at += size
        rows = x.view(self.count * GROUPS, BATCH // GROUPS, OBS + M)
        return torch.tanh(mlp(rows, theta)).view(self.count, BATCH, ACT)

    def twice(self, x):
        """Rows for both critics of each learner."""
        return x.repeat_interleave(2, 0)

    def angle(self, direction, q):
        cosine = (direction * q).sum(2) / q.square().sum(2).clamp_min(1e-16).sqrt()
        return torch.rad2deg(torch.acos(cosine.clamp(0, 0.9999))).mean(1)

    def clip(self, parameters):
        """By the joint norm of each learner's gradients."""
        grads = [p.grad for p in parameters]
        squares = [g.square().reshape(self.count, -1).sum(1) for g in grads]
        norm = torch.stack(squares).sum(0).sqrt()
        scale = (CLIP / (norm + 1e-6)).clamp_max(1.0)
        for g in grads:
            g.view(self.count, -1).mul_(scale[:, None])

    def critic(self, x, p):
        """What the last layer of critics gives."""
        return mlp(x, p)

    def values(self, raw):
        """The values [.., rows, M] that it stands for."""
        return raw

    def reward(self):
        return self.r

    def utility_weights(self):
        """What values are multiplied by and summed up to be a utility."""
        return self.rows_w

    def critic_loss(self, raw, y):
        """For every critic."""
        smooth = F.smooth_l1_loss(raw, y, reduction="none").mean((1, 2))
        return smooth + self.angle(self.twice(self.direction), raw)

    def actor_loss(self, q):
        """For every learner."""
        return ANGLE * self.angle(self.direction, q) - (q * self.utility_weights()).sum(2).mean(1)

    def follow_actor(self):
        torch._foreach_lerp_(self.base_target, self.base, TAU)

    def critic_step(self):
        with torch.no_grad():
            following = torch.cat([self.s2, self.rows_w], 2)
            a2 = (self.policy(self.base_target, following) + self.noise.clamp(-0.5, 0.5)).clamp(-1, 1)
            raw = self.critic(self.twice(torch.cat([following, a2], 2)), self.targets)
            q = self.values(raw).view(self.count, 2, BATCH, M)
            value = (q * self.utility_weights()[:, None]).sum(3, keepdim=True)
            smaller = torch.where(value[:, 0] <= value[:, 1], q[:, 0], q[:, 1])
            y = self.twice(self.reward() + GAMMA * (1 - self.done) * smaller)
        raw = self.critic(self.twice(torch.cat([self.s, self.rows_w, self.a], 2)), self.critics)
        loss = self.critic_loss(raw, y).sum()
        self.critic_adam.zero_grad(set_to_none=True)
        loss.backward()
        self.clip(self.critics)
        self.critic_adam.step()
        with torch.no_grad():
            torch._foreach_lerp_(self.targets, self.critics, TAU)
        return loss

    def actor_step(self):
        x = torch.cat([self.s, self.rows_w], 2)
        a = self.policy(self.base, x)
        first = [p.detach()[::2] for p in self.critics]
        q = self.values(self.critic(torch.cat([x, a], 2), first))
        loss = self.actor_loss(q).sum()
        self.actor_adam.zero_grad(set_to_none=True)
        loss.backward()
        self.clip(self.actor)
        self.actor_adam.step()
        with torch.no_grad():
            self.follow_actor()
        return loss


class Recommended(Learners):
    """Normalised critics that classify scaled returns (HL-Gauss), an averaged actor, no angle."""

    outputs = M * ATOMS

    def __init__(self, count):
        super().__init__(count)
        self.average = [p.detach().clone() for p in self.actor]
        self.reward_scale = 1 + torch.rand(count, 1, M)
        self.width = 2 * LARGEST / (ATOMS - 1)
        self.support = torch.linspace(-LARGEST, LARGEST, ATOMS)
        self.edges = torch.linspace(-LARGEST - self.width / 2, LARGEST + self.width / 2, ATOMS + 1)

    def critic(self, x, p):
        return mlp(x, p, normalise=True)

    def values(self, raw):
        return torch.softmax(raw.unflatten(-1, (M, ATOMS)), -1) @ self.support

    def reward(self):
        return self.r / self.reward_scale

    def utility_weights(self):
        return self.rows_w * (self.reward_scale / self.reward_scale.amax(2, keepdim=True))

    def critic_loss(self, raw, y):
        below = torch.special.ndtr((self.edges - y.clamp(-LARGEST, LARGEST)[..., None]) / (SMOOTHING * self.width))
        mass = below.diff(dim=-1)
        share = mass / mass.sum(-1, keepdim=True)
        return -(share * F.log_softmax(raw.unflatten(-1, (M, ATOMS)), -1)).sum(-1).mean((1, 2))

    def actor_loss(self, q):
        return -(q * self.utility_weights()).sum(2).mean(1)

    def follow_actor(self):
        super().follow_actor()
        torch._foreach_lerp_(self.average, self.actor, AVERAGING)


def captured(step):
    """The step as a CUDA graph, after the warm-up on a side stream that capturing asks for."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(4):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()
    return graph, loss


def measure(graph, seconds, chunk=50):
    times, end = [], time.perf_counter() + 0.3 + seconds
    warm = time.perf_counter() + 0.3
    while time.perf_counter() < end:
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(chunk):
            graph.replay()
        torch.cuda.synchronize()
        if start > warm:
            times.append((time.perf_counter() - start) / chunk)
    return 1000 * sorted(times)[len(times) // 2]


def figures_of(learners, seconds):
    critic, critic_loss = captured(learners.critic_step)
    critic_ms = measure(critic, seconds)
    actor, actor_loss = captured(learners.actor_step)
    actor_ms = measure(actor, seconds)
    finite = math.isfinite(float(critic_loss)) and math.isfinite(float(actor_loss))
    return dict(replicas=learners.count, criticMs=critic_ms, actorMs=actor_ms, finite=finite)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--seconds", type=float, default=1)
    args.add_argument("--replicas", default="1,6,24")
    args = args.parse_args()
    torch.manual_seed(0)
    torch.set_default_device("cuda")
    counts = [int(count) for count in args.replicas.split(",")]
    figures = [figures_of(Learners(count), args.seconds) for count in counts]
    recommended = [figures_of(Recommended(count), args.seconds) for count in counts]
    print(json.dumps(dict(version=torch.__version__, figures=figures, recommended=recommended)))


if __name__ == "__main__":
    main()
