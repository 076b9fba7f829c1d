sealed interface Shape {
    data class Circle(val radius: Double) : Shape
    data class Square(val side: Double = 1.0) : Shape
    data object Empty : Shape
}

fun area(shape: Shape): Double = when (shape) {
    is Shape.Circle -> Math.PI * shape.radius * shape.radius
    is Shape.Square -> shape.side.let { it * it }
    Shape.Empty -> 0.0
}

fun main() {
    val (r) = Shape.Circle(2.0)
    println("area: ${area(Shape.Circle(r))}")
}
