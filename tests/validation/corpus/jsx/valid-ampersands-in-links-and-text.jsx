export function Footer({ query, year }) {
  return (
    <footer title="Research & Development">
      <a href="/search?q=cells&sort=new&page=2">Newest</a>
      <a href='https://example.org/?a=1&amp;b=2&c=3'>Q&A</a>
      <p>{year} R&D, terms &amp; conditions, fish & chips</p>
      <code>npm ci && npm test</code>
      {query && <em>AT&T</em>}
    </footer>
  );
}
