/** A state in a diagram. */
export interface DrawnState {
  readonly name: string
  readonly x: number
  readonly present: boolean
  /** Whether it can be moved to now. */
  readonly allowed: boolean
}

/** A diagram of states in a row, with arcs from the present one. */
export interface Diagram {
  readonly states: readonly DrawnState[]
  readonly width: number
  /** How far the states are below the top: as far as the highest arc rises. */
  readonly baseline: number
  /** Paths of the arcs, by the state that they lead to. */
  readonly arcs: readonly (readonly [to: string, path: string])[]
}

/** In pixels: of a state, and from one to the next. */
export const stateWidth = 132
const stride = stateWidth + 18
/** How high an arc to the next state rises, and how much each further step adds. */
const lowest = 22
const rise = 9
/** Pixels that an arrowhead needs. */
const head = 3

/** Lays out the states of a machine: those that can be pushed to, in order, and the present one. */
export function diagramOf(
  targets: readonly string[],
  present: string,
  allowed: readonly string[],
): Diagram {
  const names = targets.includes(present) ? targets : [present, ...targets]
  const from = names.indexOf(present)
  const reached = allowed.filter((name) => name !== present && names.includes(name))
  const heightOf = (name: string) => lowest + rise * (Math.abs(names.indexOf(name) - from) - 1)
  const baseline = reached.length === 0 ? 0 : Math.max(...reached.map(heightOf))
  return {
    states: names.map((name, at) => ({
      name,
      x: at * stride,
      present: name === present,
      allowed: reached.includes(name),
    })),
    width: names.length * stride,
    baseline,
    arcs: reached.map((name) => {
      const to = names.indexOf(name)
      // Arcs leave the present state beside each other, the furthest nearest to its middle.
      const inset = stateWidth / 2 - 14 * Math.min(4, Math.abs(to - from))
      const start = from * stride + stateWidth / 2 + Math.sign(to - from) * inset
      const end = to * stride + stateWidth / 2
      // A cubic curve comes as high as three quarters of its handles.
      const top = baseline - heightOf(name) * (4 / 3) + 4
      return [
        name,
        `M${start} ${baseline} C${start} ${top} ${end} ${top} ${end} ${baseline - head}`,
      ] as const
    }),
  }
}
