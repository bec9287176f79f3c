/** Renders a relationship to at most one resource, by its identifier. */
export function toOne(type: string, id: string | null) {
  return { data: id === null ? null : { id, type } }
}

/** Renders a relationship to several resources, by their identifiers. */
export function toMany(type: string, ids: readonly string[]) {
  return { data: ids.map((id) => ({ id, type })) }
}
