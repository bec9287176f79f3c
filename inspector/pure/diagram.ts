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
  /** Paths of the arcs, by the state that they lead to. */
  readonly arcs: readonly (readonly [to: string, path: string])[]
}

/** In pixels: of a state, and from one to the next. */
export const stateWidth = 132
const stride = stateWidth + 18
/** Where arcs begin and end, and how high each step takes them. */
export const baseline = 64
const rise = 13

/** Lays out the states of a machine: those that can be pushed to, in order, and the present one. */
export function diagramOf(
  targets: readonly string[],
  present: string,
  allowed: readonly string[],
): Diagram {
  const names = targets.includes(present) ? targets : [present, ...targets]
  const centre = (name: string) => names.indexOf(name) * stride + stateWidth / 2
  const from = centre(present)
  return {
    states: names.map((name, at) => ({
      name,
      x: at * stride,
      present: name === present,
      allowed: allowed.includes(name) && name !== present,
    })),
    width: names.length * stride,
    arcs: allowed
      .filter((name) => name !== present && names.includes(name))
      .map((name) => {
        const to = centre(name)
        const height = Math.min(baseline - 6, 12 + (rise * Math.abs(to - from)) / stride)
        const top = baseline - height
        return [
          name,
          `M${from} ${baseline} C${from} ${top} ${to} ${top} ${to} ${baseline}`,
        ] as const
      }),
  }
}
