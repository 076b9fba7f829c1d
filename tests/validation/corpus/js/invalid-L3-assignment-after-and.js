function choose(cell, seen) {
  if (!cell) return null;
  seen && cell.read = true;
  return cell;
}
