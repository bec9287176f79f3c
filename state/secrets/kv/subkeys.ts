import { isJsonObject, type JsonObject, setMember } from '../../kernel/json.ts'

/**
 * The structure of a secret without its values: objects keep their keys, everything else, empty
 * objects and arrays included, becomes null. Objects that lie at `depth` become null too; 0 is no
 * limit (1-secrets.md, GET subkeys). Iterative: depth costs no stack.
 */
export function subkeysOf(data: Readonly<JsonObject>, depth: number): JsonObject {
  const structure: JsonObject = {}
  const pending = [{ from: data, into: structure, level: 1 }]
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    const level = step.level + 1
    for (const [key, value] of Object.entries(step.from)) {
      const isLeaf =
        !isJsonObject(value) || Object.keys(value).length === 0 || (depth !== 0 && level > depth)
      if (isLeaf) {
        setMember(step.into, key, null)
        continue
      }
      const into: JsonObject = {}
      setMember(step.into, key, into)
      pending.push({ from: value, into, level })
    }
  }
  return structure
}
