import { quoteGo } from '../../go/text.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Network, Port } from '../job/scheduling-shapes.ts'
import { failing } from './errors.ts'

const highestPort = 65_535

/** Ports of a group that are taken: labels, and static ports of each network of the host. */
class TakenPorts {
  readonly #labels = new Set<string>()
  readonly #owners = new Map<string, string>()

  /** Whether a port of the group has the label. */
  hasLabel(label: string): boolean {
    return this.#labels.has(label)
  }

  takeLabel(label: string): void {
    this.#labels.add(label)
  }

  ownerOf({ HostNetwork, Value }: Port): string | undefined {
    return this.#owners.get(`${Value} ${HostNetwork}`)
  }

  takeStatic({ HostNetwork, Value }: Port, owner: string): void {
    this.#owners.set(`${Value} ${HostNetwork}`, owner)
  }
}

/** What is wrong with the ports of a group and of its tasks (3b-scheduler-decisions.md section 5). */
export function networkErrors(group: TaskGroup): readonly string[] {
  const taken = new TakenPorts()
  return [
    ...(group.Networks ?? []).flatMap((network) => [
      ...portsOf(network).flatMap((port) => groupPortErrors(port, network, taken)),
      ...hostnameErrors(network.Hostname ?? ''),
    ]),
    ...(group.Tasks ?? []).flatMap(({ Name, Resources }) =>
      (Resources?.Networks ?? [])
        .flatMap(portsOf)
        .flatMap((port) => [...labelErrors(port, taken), ...staticErrors(port, Name, taken)]),
    ),
  ]
}

/** Static ports come first. */
export function portsOf({ ReservedPorts, DynamicPorts }: Network): readonly Port[] {
  return [...(ReservedPorts ?? []), ...(DynamicPorts ?? [])]
}

function groupPortErrors(port: Port, { Mode }: Network, taken: TakenPorts): readonly string[] {
  const { Label, To } = port
  const labels = labelErrors(port, taken)
  taken.takeLabel(Label)
  return [
    ...labels,
    ...staticErrors(port, 'taskgroup network', taken),
    ...failing(
      [To < -1, `Port ${quoteGo(Label)} cannot be mapped to negative value ${To}`],
      [
        To > highestPort,
        `Port ${quoteGo(Label)} cannot be mapped to a port (${To}) greater than ${highestPort}`,
      ],
      [
        port.IgnoreCollision === true && Mode !== '' && Mode !== 'host',
        `Port ${quoteGo(Label)} collision may not be ignored on non-host network mode ` +
          quoteGo(Mode),
      ],
    ),
  ]
}

function labelErrors({ Label }: Port, taken: TakenPorts): readonly string[] {
  return failing([taken.hasLabel(Label), `Port label ${Label} already in use by taskgroup network`])
}

function staticErrors(port: Port, owner: string, taken: TakenPorts): readonly string[] {
  const { Label, Value } = port
  if (Value === 0) return []
  const other = taken.ownerOf(port)
  if (other !== undefined) {
    return failing([
      port.IgnoreCollision !== true,
      `Static port ${Value} already reserved by ${other}`,
    ])
  }
  if (Value > highestPort) return [`Port ${Label} (${Value}) cannot be greater than ${highestPort}`]
  taken.takeStatic(port, `${owner}:${Label}`)
  return []
}

/** Names with a reference in them are known only where the task runs. */
function hostnameErrors(name: string): readonly string[] {
  if (name === '' || name.includes('${')) return []
  const labels = name.replace(/\.$/, '').split('.')
  const isName = name.length < 255 && labels.every((label) => label !== '' && label.length < 64)
  return failing([!isName, 'Hostname is not a valid DNS name'])
}
