struct P { x: i32, y: i32 }

fn origin() -> P {
    P { x = 0, y = 0 }
}
