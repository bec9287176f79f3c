import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Network, Port } from '../job/scheduling-shapes.ts'
import { failedChecks } from './errors.ts'
import { message } from './group-messages.ts'

const maxPort = 65_535

/**
 * Port labels and static ports in use in a group. A static port may be used once on each host
 * network.
 */
class UsedPorts {
  readonly #labels = new Set<string>()
  readonly #owners = new Map<string, string>()

  hasLabel(label: string): boolean {
    return this.#labels.has(label)
  }

  addLabel(label: string): void {
    this.#labels.add(label)
  }

  ownerOf({ HostNetwork, Value }: Port): string | undefined {
    return this.#owners.get(`${Value} ${HostNetwork}`)
  }

  addStatic({ HostNetwork, Value }: Port, owner: string): void {
    this.#owners.set(`${Value} ${HostNetwork}`, owner)
  }
}

/**
 * Returns the errors of all ports of a group and its tasks, and of the hostnames of the group's
 * networks (behaviour/scheduler#validation).
 */
export function networkErrors(group: TaskGroup): readonly Message[] {
  const usedPorts = new UsedPorts()
  return [
    ...(group.Networks ?? []).flatMap((network) => [
      ...portsOf(network).flatMap((port) => groupPortErrors(port, network, usedPorts)),
      ...hostnameErrors(network.Hostname ?? ''),
    ]),
    ...(group.Tasks ?? []).flatMap(({ Name, Resources }) =>
      (Resources?.Networks ?? [])
        .flatMap(portsOf)
        .flatMap((port) => [
          ...labelErrors(port, usedPorts),
          ...staticErrors(port, Name, usedPorts),
        ]),
    ),
  ]
}

/** Returns the ports of a network, static ports first. */
export function portsOf({ ReservedPorts, DynamicPorts }: Network): readonly Port[] {
  return [...(ReservedPorts ?? []), ...(DynamicPorts ?? [])]
}

function groupPortErrors(port: Port, { Mode }: Network, usedPorts: UsedPorts): readonly Message[] {
  const { Label, To } = port
  const label = quoteGo(Label)
  const labels = labelErrors(port, usedPorts)
  usedPorts.addLabel(Label)
  return [
    ...labels,
    ...staticErrors(port, 'taskgroup network', usedPorts),
    ...failedChecks(
      To < -1 && message('port-mapped-negative', { label, to: To }),
      To > maxPort && message('port-mapped-too-high', { label, to: To, highest: maxPort }),
      port.IgnoreCollision === true &&
        Mode !== '' &&
        Mode !== 'host' &&
        message('port-collision-mode', { label, mode: quoteGo(Mode) }),
    ),
  ]
}

function labelErrors({ Label: label }: Port, usedPorts: UsedPorts): readonly Message[] {
  return failedChecks(usedPorts.hasLabel(label) && message('port-label-taken', { label }))
}

function staticErrors(port: Port, user: string, usedPorts: UsedPorts): readonly Message[] {
  const { Label: label, Value } = port
  if (Value === 0) return []
  const owner = usedPorts.ownerOf(port)
  if (owner !== undefined) {
    return failedChecks(
      port.IgnoreCollision !== true && message('port-reserved', { port: Value, owner }),
    )
  }
  if (Value > maxPort) return [message('port-too-high', { label, port: Value, highest: maxPort })]
  usedPorts.addStatic(port, `${user}:${label}`)
  return []
}

/**
 * Returns the error of an invalid hostname. A hostname with variables is not checked, because the
 * values of variables are known only when the task runs.
 */
function hostnameErrors(name: string): readonly Message[] {
  if (name === '' || name.includes('${')) return []
  const labels = name.replace(/\.$/, '').split('.')
  const isName = name.length < 255 && labels.every((label) => label !== '' && label.length < 64)
  return failedChecks(!isName && message('hostname-invalid'))
}
