public sealed interface Shape permits Circle, Square, Rectangle {
    double area();
}

record Circle(double radius) implements Shape {
    Circle {
        if (radius < 0) throw new IllegalArgumentException("negative: " + radius);
    }
    public double area() { return Math.PI * radius * radius; }
}

record Square(double side) implements Shape {
    public double area() { return side * side; }
}

non-sealed class Rectangle implements Shape {
    public double area() { return 0; }
}
