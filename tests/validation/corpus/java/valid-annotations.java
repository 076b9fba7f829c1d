package com.example.app;

import java.lang.annotation.*;

@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE_USE})
public @interface Limited {
    int value() default 10;
    String[] tags() default {};
    Class<? extends Exception>[] on() default {IllegalStateException.class};
}

@SuppressWarnings(value = {"unchecked", "rawtypes"})
final class Uses {
    @Limited(value = 3, tags = "a") void run(final @Limited String name) {}
    java.util.@Limited List<@Limited String> list;
}
