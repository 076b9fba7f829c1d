function first(items) {
  items.forEach((item) => {
    if (item.ready) {
      break;
    }
  });
}
first([]);
