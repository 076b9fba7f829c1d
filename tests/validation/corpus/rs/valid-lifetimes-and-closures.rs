struct Parser<'src, F>
where
    F: for<'a> Fn(&'a str) -> &'a str + 'src,
{
    source: &'src str,
    clean: F,
}

impl<'src, F> Parser<'src, F>
where
    F: for<'a> Fn(&'a str) -> &'a str + 'src,
{
    fn tokens(&'src self) -> Vec<Box<dyn Fn() -> &'src str + 'src>> {
        self.source
            .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '{' | '}'))
            .map(move |t| Box::new(move || t) as Box<dyn Fn() -> &'src str + 'src>)
            .collect::<Vec<_>>()
    }
}
