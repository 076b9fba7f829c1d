package com.example.shapes;

import java.util.*;
import java.util.function.*;
import static java.util.stream.Collectors.*;
import module java.base;

/** Shapes. */
public sealed interface Shape permits Circle, Rect, Shape.Group {
    double area();

    record Group(List<? extends Shape> shapes, String... tags) implements Shape {
        static int made = 0;

        public Group {
            Objects.requireNonNull(shapes);
            made++;
        }

        Group(Shape... all) { this(List.of(all)); }

        @Override
        public double area() { return shapes.stream().mapToDouble(Shape::area).sum(); }
    }

    static String describe(Object o) {
        return switch (o) {
            case null -> "nothing";
            case Circle(var r) when r > 10 && r < 100 -> "big circle";
            case Circle(double _) "circle";
            case Rect(Point(var x, _), Point _) -> "rect at " + x;
            case Group g -> {
                var n = g.shapes().size();
                yield "group of %d".formatted(n);
            }
            case int[] a when a.length > 0 -> "ints";
            case String s when s.isBlank() -> throw new IllegalArgumentException(s);
            case Integer i -> String.valueOf(i);
            default -> o.toString();
        };
    }
}

record Point(int x, int y) {}
final record Circle(double r) implements Shape { public double area() { return Math.PI * r * r; } }
non-sealed class Rect implements Shape {
    private final Point a, b;
    Rect(Point a, Point b) { super(); this.a = a; this.b = b; }
    public double area() { return (b.x() - a.x()) * 1.0 * (b.y() - a.y()); }
}
