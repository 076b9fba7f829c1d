function sign(n) {
  if (n > 0) {
    return 1;
  };
  else {
    return -1;
  }
}
