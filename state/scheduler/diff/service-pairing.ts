import { itemsOf, type Pair, type Pairing, stringMember } from './pairing.ts'

/**
 * Pairs services by similarity, because services have no identity. Each old service is paired with
 * the unpaired new service that has the highest score: 2 for an equal port label, 3 for an equal
 * name, and 1 for the same position. The score must exceed 2. If several services have the highest
 * score, the first of these services is chosen (behaviour/scheduler#diff). At another position,
 * only a service with an equal name can exceed 2, so two look-ups by name are enough.
 */
export const bySimilarity: Pairing = (old, next) => {
  const after = itemsOf(next)
  const unpairedServices = new UnpairedServices(after)
  const pairs = itemsOf(old).map((service, position): Pair => {
    const match = unpairedServices.findBestMatch(service, position)
    if (match === undefined) return [service, undefined]
    unpairedServices.remove(match)
    return [service, after[match]]
  })
  const added = after.filter((_, position) => unpairedServices.has(position))
  return [...pairs, ...added.map((service): Pair => [undefined, service])]
}

const scoreWeights = { label: 2, name: 3, position: 1 }
const scoreThreshold = 2

class UnpairedServices {
  readonly #services: readonly unknown[]
  readonly #unpairedPositions: Set<number>
  readonly #byName: Queues
  readonly #byNameAndLabel: Queues

  constructor(services: readonly unknown[]) {
    this.#services = services
    this.#unpairedPositions = new Set(services.keys())
    this.#byName = queuesOf(services, nameOf)
    this.#byNameAndLabel = queuesOf(services, nameAndLabelOf)
  }

  has(position: number): boolean {
    return this.#unpairedPositions.has(position)
  }

  remove(position: number): void {
    this.#unpairedPositions.delete(position)
  }

  findBestMatch(service: unknown, position: number): number | undefined {
    const candidates = [
      this.#takeFirstUnpaired(this.#byNameAndLabel.get(nameAndLabelOf(service))),
      this.#takeFirstUnpaired(this.#byName.get(nameOf(service))),
      position,
    ]
    let best: number | undefined
    let bestScore = scoreThreshold
    for (const candidate of candidates) {
      if (candidate === undefined || !this.has(candidate)) continue
      const score = this.#score(service, position, candidate)
      const isFirst = best !== undefined && score === bestScore && candidate < best
      if (score > bestScore || isFirst) {
        best = candidate
        bestScore = score
      }
    }
    return best
  }

  #score(service: unknown, position: number, candidate: number): number {
    const other = this.#services[candidate]
    return (
      (labelOf(service) === labelOf(other) ? scoreWeights.label : 0) +
      (nameOf(service) === nameOf(other) ? scoreWeights.name : 0) +
      (position === candidate ? scoreWeights.position : 0)
    )
  }

  /**
   * Returns the first position of a queue whose service is not paired yet, and advances the queue
   * to this position. Returns undefined if all services of the queue are paired.
   */
  #takeFirstUnpaired(queue: Queue | undefined): number | undefined {
    if (queue === undefined) return undefined
    for (; queue.next < queue.positions.length; queue.next++) {
      const position = queue.positions[queue.next]
      if (position !== undefined && this.has(position)) return position
    }
    return undefined
  }
}

/**
 * Positions of services, in ascending order. `next` is an index in `positions`; the services at all
 * earlier indexes are already paired.
 */
interface Queue {
  readonly positions: number[]
  next: number
}
type Queues = ReadonlyMap<string, Queue>

function queuesOf(services: readonly unknown[], keyOf: (service: unknown) => string): Queues {
  const queues = new Map<string, Queue>()
  for (const [position, service] of services.entries()) {
    const key = keyOf(service)
    const queue = queues.get(key)
    if (queue === undefined) queues.set(key, { positions: [position], next: 0 })
    else queue.positions.push(position)
  }
  return queues
}

function nameOf(service: unknown): string {
  return stringMember(service, 'Name')
}

function labelOf(service: unknown): string {
  return stringMember(service, 'PortLabel')
}

function nameAndLabelOf(service: unknown): string {
  return JSON.stringify([nameOf(service), labelOf(service)])
}
