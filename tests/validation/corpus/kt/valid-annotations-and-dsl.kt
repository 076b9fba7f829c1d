@Target(AnnotationTarget.CLASS, AnnotationTarget.FUNCTION)
@Retention(AnnotationRetention.RUNTIME)
annotation class Route(val path: String, vararg val methods: String = ["GET"])

@DslMarker annotation class HtmlDsl

@HtmlDsl
class Html { val parts = StringBuilder()
    operator fun String.unaryPlus() { parts.append(this) }
    fun body(init: Html.() -> Unit) = apply(init)
}

fun html(init: Html.() -> Unit): Html = Html().apply(init)

@Route("/x", methods = ["GET", "POST"])
fun page() = html { body { +"<p>hi</p>" } }
