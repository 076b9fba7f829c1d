class Outer {
    private int count = 0x1F_FF, mask = 0b1010, octal = 017;
    private char quote = '\'', brace = '{', uni = '\u0041';
    static { System.out.println("static { init"); }
    { count += 1; }

    class Inner {
        int get() { return Outer.this.count; }
    }

    Runnable task = new Runnable() {
        @Override
        public void run() {
            label:
            for (int i = 0, j = 10; i < j; i++, j--) {
                if (i == 3) continue label;
                synchronized (this) { assert i >= 0 : "negative"; }
            }
            do { count--; } while (count > 0);
        }
    };
}
