class A {
  constructor() { this.x = 1; }
}
function f() {
  super();
}
