type Props = { id: string } & { page?: number };

export const Pager = ({ id, page = 1 }: Props): JSX.Element => (
  <nav aria-label="Back & forth">
    <a href="/cells?order=asc&limit=20">First</a>
    <a href={`/cells?id=${id}&page=${page + 1}`}>Next & last</a>
    <span>Q&A</span>
  </nav>
);
