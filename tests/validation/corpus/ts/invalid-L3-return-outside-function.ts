const flag: boolean = true;
if (flag) {
  return 1;
}
export { flag };
