interface DiagramState {
  readonly name: string
  readonly x: number
  readonly isCurrent: boolean
  /** True if a transition to this state is allowed now. */
  readonly isReachable: boolean
}

/** Row of states with arcs from the present state. */
interface Diagram {
  readonly states: readonly DiagramState[]
  readonly width: number
  /** Pixels from the top to the states: the height of the highest arc. */
  readonly baseline: number
  /** SVG paths of the arcs, by target state. */
  readonly arcs: readonly (readonly [to: string, path: string])[]
}

/** Width of a state, in pixels. */
export const stateWidth = 132
/** Distance between the left edges of neighbouring states, in pixels. */
const stateStride = stateWidth + 18
/** Height of an arc to a neighbouring state, in pixels. */
const minRise = 22
/** Additional height for each further state, in pixels. */
const risePerStep = 9
/** Size of an arrowhead, in pixels. */
const arrowheadSize = 3

/** Lays out the states of a machine: the targets of transitions in order, and the present state. */
export function diagramOf(
  targets: readonly string[],
  current: string,
  allowed: readonly string[],
): Diagram {
  const names = targets.includes(current) ? targets : [current, ...targets]
  const from = names.indexOf(current)
  const reachable = allowed.filter((name) => name !== current && names.includes(name))
  const heightOf = (name: string) =>
    minRise + risePerStep * (Math.abs(names.indexOf(name) - from) - 1)
  const baseline = reachable.reduce((highest, state) => Math.max(highest, heightOf(state)), 0)
  return {
    states: names.map((name, at) => ({
      name,
      x: at * stateStride,
      isCurrent: name === current,
      isReachable: reachable.includes(name),
    })),
    width: names.length * stateStride,
    baseline,
    arcs: reachable.map((name) => {
      const to = names.indexOf(name)
      // Arcs leave the present state side by side; the longest starts nearest to the middle.
      const inset = stateWidth / 2 - 14 * Math.min(4, Math.abs(to - from))
      const start = from * stateStride + stateWidth / 2 + Math.sign(to - from) * inset
      const end = to * stateStride + stateWidth / 2
      // A cubic curve reaches three quarters of the height of its control points.
      const top = baseline - heightOf(name) * (4 / 3) + 4
      return [
        name,
        `M${start} ${baseline} C${start} ${top} ${end} ${top} ${end} ${baseline - arrowheadSize}`,
      ] as const
    }),
  }
}
