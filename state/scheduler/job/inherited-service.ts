import { SECOND } from '../../go/duration.ts'
import { largerInteger } from '../../kernel/integers.ts'
import type { InputConnect } from './connect-shapes.ts'
import { mapOrNull, namedMounts, withDefaultCpu } from './fill-defaults.ts'
import type { InputCheck, InputService } from './service-shapes.ts'

/**
 * Owner of a service: names of the job, group and task. The task is null for a service of the
 * group.
 */
interface ServiceContext {
  /** True to include the changes that only the server makes. */
  readonly isForServer: boolean
  readonly job: string
  readonly group: string
  readonly task: string | null
}

/**
 * Fills in the members of a service whose defaults depend on other members: its name, the settings
 * that checks inherit, and the sidecar's task. Raises weights below 1 to 1.
 */
export function inheritedService(service: InputService, context: ServiceContext): InputService {
  const { job, group, task } = context
  const OnUpdate = service.OnUpdate || 'require_healthy'
  return {
    ...service,
    Name: service.Name || (task === null ? `${job}-${group}` : `${job}-${group}-${task}`),
    Checks: mapOrNull(service.Checks, (check) =>
      inheritedCheck(check, OnUpdate, service.CheckRestart),
    ),
    ...(service.Connect && { Connect: inheritedConnect(service.Connect, context.isForServer) }),
    ...(service.Weights && { Weights: positiveWeights(service.Weights) }),
  }
}

function inheritedCheck(
  check: InputCheck,
  onUpdate: string,
  inherited: CheckRestart | null,
): InputCheck {
  const restart = mergeCheckRestart(inherited, check.CheckRestart ?? null)
  return {
    ...check,
    OnUpdate: check.OnUpdate || onUpdate,
    SuccessBeforePassing: largerInteger(check.SuccessBeforePassing ?? 0, 0),
    FailuresBeforeCritical: largerInteger(check.FailuresBeforeCritical ?? 0, 0),
    FailuresBeforeWarning: largerInteger(check.FailuresBeforeWarning ?? 0, 0),
    ...(restart && { CheckRestart: { ...restart, Grace: restart.Grace ?? SECOND } }),
  }
}

type CheckRestart = NonNullable<InputService['CheckRestart']>

/**
 * Merges the restart settings of a service and its check member by member. The check's Limit takes
 * precedence if positive, and the check's Grace if not null. Warnings are ignored if either block
 * ignores warnings.
 */
function mergeCheckRestart(
  inherited: CheckRestart | null,
  override: CheckRestart | null,
): CheckRestart | null {
  if (inherited === null || override === null) return override ?? inherited
  return {
    Limit: (override.Limit ?? 0) > 0 ? override.Limit : inherited.Limit,
    Grace: override.Grace ?? inherited.Grace,
    IgnoreWarnings: override.IgnoreWarnings || inherited.IgnoreWarnings,
  }
}

/**
 * Fills in the defaults of a sidecar's task. On the server, members with deprecated names are
 * converted as well, and mounts without a volume are removed.
 */
function inheritedConnect(connect: InputConnect, isForServer: boolean): InputConnect {
  const { SidecarTask, SidecarService } = connect
  const task = SidecarTask && {
    ...SidecarTask,
    Resources: withDefaultCpu(SidecarTask.Resources),
    ...(isForServer && { VolumeMounts: namedMounts(SidecarTask.VolumeMounts) }),
  }
  if (!isForServer) return { ...connect, SidecarTask: task }
  const service = SidecarService && {
    ...SidecarService,
    Proxy: SidecarService.Proxy && storedProxy(SidecarService.Proxy),
  }
  return { ...connect, SidecarTask: task, SidecarService: service }
}

type Proxy = NonNullable<NonNullable<InputConnect['SidecarService']>['Proxy']>

/** Converts members with deprecated names, and adds a `MeshGateway` block to every upstream. */
function storedProxy(proxy: Proxy): Proxy {
  const expose = proxy.ExposeConfig ?? proxy.Expose
  return {
    ...proxy,
    Expose: expose && { ...expose, Paths: expose.Path?.length ? expose.Path : expose.Paths },
    Upstreams: mapOrNull(proxy.Upstreams, (upstream) => ({
      ...upstream,
      MeshGateway: upstream.MeshGateway ?? { Mode: null },
    })),
  }
}

type Weights = NonNullable<InputService['Weights']>

function positiveWeights({ Passing, Warning }: Weights): Weights {
  return { Passing: largerInteger(Passing ?? 0, 1), Warning: largerInteger(Warning ?? 0, 1) }
}
