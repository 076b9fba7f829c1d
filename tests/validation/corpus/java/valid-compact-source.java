/// Markdown doc comment
void main(String[] args) {
    IO.println("Hello " + args.length);
    for (String a : args) greet(a);
    var list = new ArrayList<Map<String, List<int[]>>>();
    list.forEach(m -> m.computeIfAbsent("k", _ -> new ArrayList<>()).add(new int[] {1}));
}

static int count;

String greet(String who) {
    count++;
    if (who instanceof String s && !s.isEmpty()) {
        return STR(s);
    }
    label: { break label; }
    long total = 1_000L * 0b11 + 017 + 0xFFL + (byte) ~3;
    boolean ok = total >= 3 == true ^ false | !true;
    return ok ? """
        yes""" : "no";
}
