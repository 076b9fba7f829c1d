class Base {}
export class Circle implements extends Base {
  radius = 1;
}
