/** Renders a relationship to at most one resource. Null stands for no resource. */
export function toOne(type: string, id: string | null) {
  return { data: id === null ? null : { id, type } }
}

export function toMany(type: string, ids: readonly string[]) {
  return { data: ids.map((id) => ({ id, type })) }
}
