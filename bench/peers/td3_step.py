"""The PSL-TD3 update of bench/engine in PyTorch: the peer that the engine is measured against.

One critic step (target policy, twin targets, smooth L1 and angle loss, gradients, clipping, Adam, soft update)
and one actor step (through critic 1 into base policy and hypernetwork), with the same shapes and the same maths.
Prints one JSON object. usage: td3_step.py [--seconds S] [--threads N]
"""
import argparse
import json
import math
import time

import torch
import torch.nn.functional as F

OBS, ACT, M, H, BATCH, GROUPS, K, HYPER = 17, 6, 2, 400, 256, 8, 10, 128
ALPHA, GAMMA, TAU, LR, CLIP = 0.05, 0.995, 0.005, 3e-4, 100.0


def mlp_parameters(sizes):
    out = []
    for fan_in, fan_out in zip(sizes, sizes[1:]):
        w = torch.empty(fan_in, fan_out)
        torch.nn.init.xavier_normal_(w)
        out += [w, torch.zeros(fan_out)]
    return out


def mlp(x, p):
    for i in range(0, len(p) - 2, 2):
        x = torch.relu(torch.addmm(p[i + 1], x, p[i]))
    return torch.addmm(p[-1], x, p[-2])


def grouped_actor(x, p):
    """x [G, rows, in]; p: one parameter set per group, [G, in, out] and [G, 1, out]."""
    for i in range(0, len(p) - 2, 2):
        x = torch.relu(torch.baddbmm(p[i + 1], x, p[i]))
    return torch.tanh(torch.baddbmm(p[-1], x, p[-2]))


def angle(direction, q):
    c = F.cosine_similarity(direction, q, dim=1).clamp(0, 0.9999)
    return torch.rad2deg(torch.acos(c)).mean()


class Learner:
    def __init__(self):
        self.base = mlp_parameters([OBS + M, H, H, ACT])
        self.base_target = [p.clone() for p in self.base]
        self.shapes = [p.shape for p in self.base]
        self.sizes = [p.numel() for p in self.base]
        self.hyper = mlp_parameters([M, HYPER, HYPER, K]) + [torch.randn(K, sum(self.sizes)) * 0.01, torch.zeros(sum(self.sizes))]
        self.critics = [mlp_parameters([OBS + M + ACT, H, H, M]) for _ in range(2)]
        self.targets = [[p.clone() for p in c] for c in self.critics]
        self.critic_parameters = self.critics[0] + self.critics[1]
        self.target_parameters = self.targets[0] + self.targets[1]
        self.actor_parameters = self.base + self.hyper
        for p in self.critic_parameters + self.actor_parameters:
            p.requires_grad_(True)
        self.critic_adam = torch.optim.Adam(self.critic_parameters, lr=LR, foreach=True)
        self.actor_adam = torch.optim.Adam(self.actor_parameters, lr=LR, foreach=True)

    def generate(self, base, w):
        features = mlp(w, self.hyper[:6])
        flat = torch.addmm(self.hyper[7], features, self.hyper[6])
        out, at = [], 0
        for p, shape, size in zip(base, self.shapes, self.sizes):
            piece = flat[:, at : at + size].reshape(GROUPS, *(shape if len(shape) == 2 else (1, *shape)))
            out.append((1 - ALPHA) * p + ALPHA * piece)
            at += size
        return out

    def critic_step(self, b):
        with torch.no_grad():
            policy = self.generate(self.base_target, b["w"])
            next_in = torch.cat([b["s2"], b["rows_w"]], 1)
            a2 = grouped_actor(next_in.view(GROUPS, BATCH // GROUPS, -1), policy).view(BATCH, ACT)
            a2 = (a2 + b["noise"].clamp(-0.5, 0.5)).clamp(-1, 1)
            x2 = torch.cat([next_in, a2], 1)
            q1, q2 = mlp(x2, self.targets[0]), mlp(x2, self.targets[1])
            first = (q1 * b["rows_w"]).sum(1, keepdim=True) <= (q2 * b["rows_w"]).sum(1, keepdim=True)
            y = b["r"] + GAMMA * (1 - b["done"]) * torch.where(first, q1, q2)
        x = torch.cat([b["s"], b["rows_w"], b["a"]], 1)
        loss = 0.0
        for c in self.critics:
            q = mlp(x, c)
            loss = loss + F.smooth_l1_loss(q, y) + angle(b["direction"], q)
        self.critic_adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.critic_parameters, CLIP)
        self.critic_adam.step()
        with torch.no_grad():
            torch._foreach_mul_(self.target_parameters, 1 - TAU)
            torch._foreach_add_(self.target_parameters, self.critic_parameters, alpha=TAU)

    def actor_step(self, b):
        policy = self.generate(self.base, b["w"])
        actor_in = torch.cat([b["s"], b["rows_w"]], 1)
        a = grouped_actor(actor_in.view(GROUPS, BATCH // GROUPS, -1), policy).view(BATCH, ACT)
        for p in self.critic_parameters:
            p.requires_grad_(False)
        q = mlp(torch.cat([actor_in, a], 1), self.critics[0])
        loss = -(q * b["rows_w"]).sum(1).mean() + 10 * angle(b["direction"], q)
        self.actor_adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.actor_parameters, CLIP)
        self.actor_adam.step()
        for p in self.critic_parameters:
            p.requires_grad_(True)
        with torch.no_grad():
            torch._foreach_mul_(self.base_target, 1 - TAU)
            torch._foreach_add_(self.base_target, self.base, alpha=TAU)


def batch():
    w = torch.rand(GROUPS, 1)
    w = torch.cat([w, 1 - w], 1)
    rows_w = w.repeat_interleave(BATCH // GROUPS, 0)
    return dict(
        w=w, rows_w=rows_w, direction=rows_w / rows_w.norm(dim=1, keepdim=True),
        s=torch.randn(BATCH, OBS), s2=torch.randn(BATCH, OBS), a=torch.rand(BATCH, ACT) * 2 - 1,
        r=torch.rand(BATCH, M), done=torch.zeros(BATCH, 1), noise=0.2 * torch.randn(BATCH, ACT),
    )


def measure(step, seconds):
    for _ in range(5):
        step()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return 1000 * sorted(times)[len(times) // 2]


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--seconds", type=float, default=5)
    args.add_argument("--threads", type=int, default=2)
    args = args.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    learner, b = Learner(), batch()
    print(json.dumps({
        "version": torch.__version__,
        "criticStepMs": measure(lambda: learner.critic_step(b), args.seconds),
        "actorStepMs": measure(lambda: learner.actor_step(b), args.seconds),
        "finite": all(math.isfinite(float(p.detach().sum())) for p in learner.critic_parameters + learner.actor_parameters),
    }))


if __name__ == "__main__":
    main()
