import type { Metadata } from "next";

export const metadata: Metadata = { title: "Posts" };

export default async function Page({ params }: { params: Promise<{ slug: string }> }) {
  const { slug } = await params;
  const posts: { id: number; title: string }[] = await fetch(`/api/${slug}`).then((r) => r.json());
  return (
    <main>
      {posts.map(({ id, title }) => <article key={id}>{title}</article>)}
    </main>
  );
}
