import { createSignal, For, Show } from "solid-js";

export default function Search(props) {
  const [query, setQuery] = createSignal("");
  return (
    <form class="search" onSubmit={(event) => { event.preventDefault(); props.onSearch(query()); }} class:busy={props.busy}>
      <label for="query" class={`label ${props.compact ? "small" : ""}`}>Find</label>
      <input id="query" class="input" value={query()} onInput={(event) => setQuery(event.target.value)} />
      <Show when={query().length > 2} fallback={<p class="hint">Type more &amp; wait</p>}>
        <ul class="results">
          <For each={props.results}>{(item) => <li class="item"><a class="link" href={item.url}>{item.name}</a></li>}</For>
        </ul>
      </Show>
    </form>
  );
}
