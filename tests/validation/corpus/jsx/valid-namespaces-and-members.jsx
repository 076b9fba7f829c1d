const Icon = ({ d, ...rest }) => (
  <svg xmlns="http://www.w3.org/2000/svg" xlink:href="#a" viewBox="0 0 24 24" {...rest}>
    <path d={d} strokeWidth={2} />
    <Foo.Bar.Baz render={() => <i>it's fine</i>} />
    <this.props.component />
    <my-element onCustom-event={f} data-foo='a "quoted" b' aria-label="it's" />
  </svg>
);
const a = <div>a &amp; b & c {"}"} {`tpl ${x}`} don't // not a comment</div>;
const b = cond && <A/>, c = list.map(i => <B key={i} {...i}/>);
const d = <A attr=<b/> other={<c></c>} />;
const e = <>text</>;
const g = <p>
  {" "}
  1 {'<'} 2 &#123; &nbsp;&copy; "quotes" 'single' /* text */ # $ % ^
</p>;
