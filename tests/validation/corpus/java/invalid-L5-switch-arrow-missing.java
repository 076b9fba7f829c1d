class Days {
    static String name(int day) {
        return switch (day) {
            case 1 -> "Mon";
            case 2 "Tue";
            default -> "?";
        };
    }
}
