import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError, client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import type { Cell } from "@/pages/notebooks/data";

type CellLanguage = Schemas["CellInput"]["language"];

/** What somebody writes, as it stands in the fields. */
export interface CellText {
  language: CellLanguage;
  content: string;
  tags: string;
}

/** The cell that is written: a new one until it has been saved. */
export interface WrittenCell {
  cellId: string;
  version: number;
}

export const LANGUAGES: [CellLanguage, string][] = [
  ["md", "Markdown"],
  ["txt", "Plain text"],
  ["py", "Python"],
  ["ts", "TypeScript"],
  ["tsx", "TypeScript with JSX"],
  ["js", "JavaScript"],
  ["jsx", "JavaScript with JSX"],
  ["json", "JSON"],
  ["yaml", "YAML"],
  ["toml", "TOML"],
  ["xml", "XML"],
  ["sql", "SQL"],
  ["sh", "Shell"],
  ["html", "HTML"],
  ["css", "CSS"],
  ["rs", "Rust"],
  ["go", "Go"],
  ["java", "Java"],
  ["kt", "Kotlin"],
  ["swift", "Swift"],
  ["c", "C"],
  ["h", "C header"],
  ["cpp", "C++"],
  ["hpp", "C++ header"],
  ["cs", "C#"],
  ["rb", "Ruby"],
  ["php", "PHP"],
  ["lua", "Lua"],
];

export function languageOf(name: string): CellLanguage {
  if (name === "yml") return "yaml";
  if (name === "htm") return "html";
  return LANGUAGES.find(([language]) => language === name)?.[0] ?? "txt";
}

export function textOfCell(cell: Cell | undefined): CellText {
  if (!cell) return { language: "md", content: "", tags: "" };
  return { language: languageOf(cell.language), content: cell.content, tags: cell.tags.join(", ") };
}

/** What is sent: the fields, and of a cell that was there what has no field here. */
export function inputOf(text: CellText, cell: Cell | undefined): Schemas["CellInput"] {
  const tags = text.tags
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
  return {
    language: text.language,
    content: text.content,
    tags: [...new Set(tags)],
    validate: true,
    ...(cell && Object.keys(cell.metadata).length > 0 && { metadata: cell.metadata }),
    ...(isSchema(cell?.json_schema) && { json_schema: cell.json_schema }),
  };
}

function isSchema(schema: unknown): schema is Record<string, unknown> {
  return typeof schema === "object" && schema !== null;
}

export function conflictIn(problem: unknown): number | undefined {
  if (!(problem instanceof ApiError) || problem.code !== "VERSION_CONFLICT") return undefined;
  const current = problem.details.current_version;
  return typeof current === "number" ? current : undefined;
}

export function useWriteCell(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ cell, at }: { cell: Schemas["CellInput"]; at: WrittenCell | undefined }) => {
      if (!at) {
        return unwrap(
          client.POST("/scratchpads/{scratch_id}/cells", { params: { path: { scratch_id: id } }, body: { cell } }),
        );
      }
      return unwrap(
        client.PUT("/scratchpads/{scratch_id}/cells/{cell_id}", {
          params: { path: { scratch_id: id, cell_id: at.cellId } },
          body: { cell, expected_version: at.version },
        }),
      );
    },
    onSettled: () => queries.invalidateQueries({ queryKey: keys.notebooks }),
  });
}

/** A cell as it is now. `version` is part of the key: each is read once. */
export function useCellNow(id: string, cellId: string, version: number | undefined) {
  return useQuery({
    queryKey: [...keys.cells, id, "now", cellId, version],
    enabled: version !== undefined,
    queryFn: async ({ signal }) => {
      const params = { path: { scratch_id: id }, query: { cell_ids: [cellId] } };
      const answer = await unwrap(client.GET("/scratchpads/{scratch_id}", { params, signal }));
      return answer.scratchpad.cells[0];
    },
  });
}
