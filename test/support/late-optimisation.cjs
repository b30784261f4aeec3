// Loaded before every program that the tests start: V8 optimises code after four times as much of it has run as by default,
// because most of them end before that pays. NODE_OPTIONS does not take the flag itself.
process.getBuiltinModule('node:v8').setFlagsFromString('--interrupt-budget=300000');
