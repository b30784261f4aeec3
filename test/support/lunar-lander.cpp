// The lunar lander of Gymnasium on Box2D itself (2.4.1), an outside reference for src/envs/lunar-lander.ts, which lunar-lander.test.ts
// holds it to: prints what is observed on a flight that engines fly step by step. By hand, where Box2D is installed:
//   g++ -O2 -o lander test/support/lunar-lander.cpp -lbox2d && ./lander
#include <box2d/box2d.h>
#include <cmath>
#include <cstdio>

const float SCALE = 30, FPS = 50, W = 600 / SCALE, H = 400 / SCALE, PAD = H / 4, LEG_DOWN = 18 / SCALE, LEG_AWAY = 20 / SCALE;

// Numbers from 0 to 1 that need no generator: multiples of the golden ratio.
int drawn = 1;
double uniform() { return std::fmod(++drawn * 0.6180339887498949, 1.0); }

struct Contacts : b2ContactListener {
  b2Body *hull = nullptr, *legs[2] = {};
  bool crashed = false, down[2] = {};
  void set(b2Contact *c, bool begins) {
    b2Body *bodies[] = {c->GetFixtureA()->GetBody(), c->GetFixtureB()->GetBody()};
    for (b2Body *body : bodies) {
      if (begins && body == hull) crashed = true;
      for (int i = 0; i < 2; i++)
        if (body == legs[i]) down[i] = begins;
    }
  }
  void BeginContact(b2Contact *c) override { set(c, true); }
  void EndContact(b2Contact *c) override { set(c, false); }
};

int main() {
  b2World world(b2Vec2(0, -10));
  Contacts contacts;
  world.SetContactListener(&contacts);
  double heights[12];
  for (double &h : heights) h = uniform() * H / 2;
  for (int i = 3; i <= 7; i++) heights[i] = PAD;
  b2BodyDef still;
  b2Body *moon = world.CreateBody(&still);
  b2EdgeShape edge;
  edge.SetTwoSided(b2Vec2(0, 0), b2Vec2(W, 0));
  moon->CreateFixture(&edge, 0);
  auto smooth = [&](int i) { return float(0.33 * (heights[(i + 11) % 12] + heights[i] + heights[i + 1])); };
  for (int i = 1; i < 11; i++) {
    edge.SetTwoSided(b2Vec2(W / 10 * (i - 1), smooth(i - 1)), b2Vec2(W / 10 * i, smooth(i)));
    b2FixtureDef fixture;
    fixture.shape = &edge;
    fixture.friction = 0.1f;
    moon->CreateFixture(&fixture);
  }
  b2BodyDef moving;
  moving.type = b2_dynamicBody;
  moving.position.Set(W / 2, H);
  b2Body *hull = contacts.hull = world.CreateBody(&moving);
  b2Vec2 corners[] = {{-14, 17}, {-17, 0}, {-17, -10}, {17, -10}, {17, 0}, {14, 17}};
  for (b2Vec2 &corner : corners) corner *= 1 / SCALE;
  b2PolygonShape polygon;
  polygon.Set(corners, 6);
  b2FixtureDef fixture;
  fixture.shape = &polygon;
  fixture.density = 5;
  fixture.friction = 0.1f;
  fixture.filter.categoryBits = 0x10;
  fixture.filter.maskBits = 0x01;
  hull->CreateFixture(&fixture);
  float fx = 1000 * (2 * uniform() - 1), fy = 1000 * (2 * uniform() - 1);
  hull->ApplyForceToCenter(b2Vec2(fx, fy), true);
  for (int i = 0; i < 2; i++) {
    float side = i == 0 ? -1 : 1;
    moving.position.Set(W / 2 - side * LEG_AWAY, H);
    moving.angle = 0.05f * side;
    b2Body *leg = contacts.legs[i] = world.CreateBody(&moving);
    polygon.SetAsBox(2 / SCALE, 8 / SCALE);
    b2FixtureDef foot;
    foot.shape = &polygon;
    foot.density = 1;
    foot.friction = 0.2f;
    foot.filter.categoryBits = 0x20;
    foot.filter.maskBits = 0x01;
    leg->CreateFixture(&foot);
    b2RevoluteJointDef joint;
    joint.bodyA = hull;
    joint.bodyB = leg;
    joint.localAnchorA.Set(0, 0);
    joint.localAnchorB.Set(side * LEG_AWAY, LEG_DOWN);
    joint.enableMotor = joint.enableLimit = true;
    joint.maxMotorTorque = 40;
    joint.motorSpeed = 0.3f * side;
    joint.lowerAngle = i == 0 ? 0.4f : -0.9f;
    joint.upperAngle = i == 0 ? 0.9f : -0.4f;
    world.CreateJoint(&joint);
  }
  auto fire = [&](float main, float side) {
    float a = hull->GetAngle(), up = std::cos(a), right = std::sin(a);
    float off[2];
    for (float &o : off) o = (2 * uniform() - 1) / SCALE;
    b2Vec2 at = hull->GetPosition();
    if (main > 0) {
      float down = 4 / SCALE + 2 * off[0], dx = right * down - up * off[1], dy = -up * down - right * off[1];
      hull->ApplyLinearImpulse(b2Vec2(-dx * 13 * main, -dy * 13 * main), b2Vec2(at.x + dx, at.y + dy), true);
    }
    if (side != 0) {
      float sign = side < 0 ? -1 : 1, away = 3 * off[1] + sign * 12 / SCALE;
      float dx = right * off[0] - up * away, dy = -up * off[0] - right * away, power = 0.6f * std::fabs(side);
      hull->ApplyLinearImpulse(b2Vec2(-dx * power, -dy * power),
                               b2Vec2(at.x + dx - right * 17 / SCALE, at.y + dy + up * 14 / SCALE), true);
    }
    world.Step(1 / FPS, 180, 60);
  };
  fire(0, 0);
  // Of each step: nothing, left, main, right.
  const char *flight =
      "LLLL.........................M.MMMMMMMRMMMMMMMMMRMMMMMMRMMMMMMMMRMMMMMM.MMM.MMMM.MMM.MMM.MMM.MMM.MMM"
      "M.MMM.MMMLMMMM.MM.MLM.M.MLMMMM.M..M..MMRRM............................................";
  for (int step = 0;; step++) {
    b2Vec2 at = hull->GetPosition(), v = hull->GetLinearVelocity();
    bool ends = contacts.crashed || !hull->IsAwake() || flight[step] == 0;
    if (step % 20 == 0 || ends)
      printf("[%d, %.6f, %.6f, %.6f, %.6f, %.6f, %.6f, %d, %d],%s\n", step, (at.x - W / 2) / (W / 2),
             (at.y - PAD - LEG_DOWN) / (H / 2), v.x * W / 2 / FPS, v.y * H / 2 / FPS, hull->GetAngle(),
             20 * hull->GetAngularVelocity() / FPS, contacts.down[0], contacts.down[1],
             contacts.crashed ? " crashed" : hull->IsAwake() ? "" : " landed");
    if (ends) break;
    char engine = flight[step];
    fire(engine == 'M', engine == 'L' ? -1 : engine == 'R');
  }
}
