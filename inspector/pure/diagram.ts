/** A state in a diagram. */
export interface DiagramState {
  readonly name: string
  readonly x: number
  readonly isCurrent: boolean
  /** Whether it can be moved to now. */
  readonly allowed: boolean
}

/** A diagram of states in a row, with arcs from the present one. */
export interface Diagram {
  readonly states: readonly DiagramState[]
  readonly width: number
  /** How far the states are below the top: as far as the highest arc rises. */
  readonly baseline: number
  /** Paths of the arcs, by the state that they lead to. */
  readonly arcs: readonly (readonly [to: string, path: string])[]
}

/** In pixels: of a state, and from one to the next. */
export const stateWidth = 132
const stateStride = stateWidth + 18
/** How high an arc to the next state rises, and how much each further step adds. */
const minRise = 22
const risePerStep = 9
/** Pixels that an arrowhead needs. */
const arrowheadSize = 3

/** Lays out the states of a machine: those that can be pushed to, in order, and the present one. */
export function diagramOf(
  targets: readonly string[],
  isCurrent: string,
  allowed: readonly string[],
): Diagram {
  const names = targets.includes(isCurrent) ? targets : [isCurrent, ...targets]
  const from = names.indexOf(isCurrent)
  const reachable = allowed.filter((name) => name !== isCurrent && names.includes(name))
  const heightOf = (name: string) =>
    minRise + risePerStep * (Math.abs(names.indexOf(name) - from) - 1)
  const baseline = reachable.length === 0 ? 0 : Math.max(...reachable.map(heightOf))
  return {
    states: names.map((name, at) => ({
      name,
      x: at * stateStride,
      isCurrent: name === isCurrent,
      allowed: reachable.includes(name),
    })),
    width: names.length * stateStride,
    baseline,
    arcs: reachable.map((name) => {
      const to = names.indexOf(name)
      // Arcs leave the present state beside each other, the furthest nearest to its middle.
      const inset = stateWidth / 2 - 14 * Math.min(4, Math.abs(to - from))
      const start = from * stateStride + stateWidth / 2 + Math.sign(to - from) * inset
      const end = to * stateStride + stateWidth / 2
      // A cubic curve comes as high as three quarters of its handles.
      const top = baseline - heightOf(name) * (4 / 3) + 4
      return [
        name,
        `M${start} ${baseline} C${start} ${top} ${end} ${top} ${end} ${baseline - arrowheadSize}`,
      ] as const
    }),
  }
}
