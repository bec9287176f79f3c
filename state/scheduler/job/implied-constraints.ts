import { compareBytewise } from '../../json/json.ts'
import { neutralReference } from '../vendor-names.ts'
import { nullIfEmpty } from './fill-defaults.ts'
import type { TaskGroup } from './job-shape.ts'
import type { Constraint } from './scheduling-shapes.ts'
import type { Service } from './service-shapes.ts'
import type { Task } from './task-shape.ts'

/** Formats a reference to a variable, such as `${attr.kernel.name}`. */
export function variableReference(name: string): string {
  return `\${${name}}`
}

export function attributeReference(name: string): string {
  return variableReference(`attr.${name}`)
}

function semverConstraint(attribute: string, version: string): Constraint {
  return { LTarget: attributeReference(attribute), RTarget: version, Operand: 'semver' }
}

/**
 * Returns the constraint that services in the mesh imply: a minimum version of the mesh on the
 * node.
 */
export function meshVersionConstraint(cluster: string): Constraint {
  return semverConstraint(meshAttribute('version', cluster), '>= 1.8.0')
}

/**
 * Returns the name of a node attribute about a cluster of the service mesh, such as `mesh.version`.
 * Names of attributes omit the default cluster.
 */
export function meshAttribute(name: string, cluster: string): string {
  return cluster === 'default' || cluster === '' ? `mesh.${name}` : `mesh.${cluster}.${name}`
}

function secretsVersionConstraint(cluster: string): Constraint {
  return cluster === 'default' || cluster === ''
    ? semverConstraint('secrets.version', '>= 0.6.1')
    : semverConstraint(`secrets.${cluster}.version`, '>= 1.11.0')
}

const nativeServicesConstraint: Constraint = {
  LTarget: attributeReference('sched.service_discovery'),
  RTarget: 'true',
  Operand: '=',
}
const nativeChecksConstraint = semverConstraint('sched.version', '>= 1.4.0')
const identitiesConstraint = semverConstraint('sched.version', '>= 1.7.0-a')
const bridgePluginConstraints = ['bridge', 'firewall', 'host-local', 'loopback', 'portmap'].map(
  (plugin) => semverConstraint(`plugins.cni.version.${plugin}`, '>= 0.4.0'),
)
const transparentProxyConstraints = [
  semverConstraint('plugins.cni.version.mesh-cni', '>= 1.4.2'),
  semverConstraint('sched.version', '>= 1.8.0-dev'),
]

/**
 * Adds to a group and its tasks the constraints that other members of the group imply, unless the
 * group or task has the constraint already (behaviour/scheduler#canonical-form).
 */
export function withImpliedConstraints(group: TaskGroup): TaskGroup {
  const list = new ConstraintList(group.Constraints)
  const groupTasks = group.Tasks ?? []
  addPartition(list, group.Mesh)
  const tasks = groupTasks.map((task) => withTaskConstraints(task))
  for (const task of byName(groupTasks)) {
    if (task.Secrets) list.addUnlessTargeted(secretsVersionConstraint(task.Secrets.Cluster ?? ''))
  }
  const signals = requiredSignals(groupTasks)
  if (signals.length > 0) {
    const RTarget = signals.join(',')
    list.addUnlessEqual({
      LTarget: attributeReference('os.signals'),
      RTarget,
      Operand: 'set_contains',
    })
  }
  const services = [
    ...(group.Services ?? []),
    ...groupTasks.flatMap(({ Services }) => Services ?? []),
  ]
  const nativeServices = services.filter(isNative)
  if (nativeServices.length > 0) list.addUnlessEqual(nativeServicesConstraint)
  if (nativeServices.some(({ Checks }) => Checks !== null))
    list.addUnlessEqual(nativeChecksConstraint)
  for (const service of group.Services ?? []) {
    if (!isNative(service)) list.addUnlessTargeted(meshVersionConstraint(service.Cluster ?? ''))
  }
  if (group.Networks?.some(({ Mode }) => Mode === 'bridge')) {
    for (const constraint of bridgePluginConstraints) list.addUnlessTargeted(constraint)
  }
  if (group.Services?.some(({ Connect }) => Connect?.SidecarService?.Proxy?.TransparentProxy)) {
    for (const constraint of transparentProxyConstraints) list.addUnlessTargeted(constraint)
  }
  const hasIdentity =
    services.some(({ Identity }) => Identity) || groupTasks.some(({ Identities }) => Identities)
  if (hasIdentity) list.addUnlessEqual(identitiesConstraint)
  return { ...group, Constraints: list.constraints, Tasks: nullIfEmpty(tasks) }
}

function withTaskConstraints(task: Task): Task {
  const list = new ConstraintList(task.Constraints)
  addPartition(list, task.Mesh)
  for (const service of task.Services ?? []) {
    if (!isNative(service)) list.addUnlessTargeted(meshVersionConstraint(service.Cluster ?? ''))
  }
  return list.isChanged ? { ...task, Constraints: list.constraints } : task
}

function addPartition(list: ConstraintList, mesh: TaskGroup['Mesh']): void {
  if (!mesh?.Partition) return
  const LTarget = attributeReference(meshAttribute('partition', mesh.Cluster ?? ''))
  list.addUnlessEqual({ LTarget, RTarget: mesh.Partition, Operand: '=' })
}

function byName(tasks: readonly Task[]): readonly Task[] {
  return tasks.toSorted((a, b) => compareBytewise(a.Name, b.Name))
}

function isNative({ Provider }: Service): boolean {
  return Provider === 'sched' || Provider === 'nomad'
}

/** Returns the signals that the tasks of a group may receive, sorted and without duplicates. */
function requiredSignals(tasks: readonly Task[]): readonly string[] {
  const signals = tasks.flatMap(({ KillSignal, Secrets, Templates }) => [
    ...(Secrets?.ChangeMode === 'signal' ? [Secrets.ChangeSignal] : []),
    ...(KillSignal === '' ? [] : [KillSignal]),
    ...(Templates ?? []).flatMap(({ ChangeMode, ChangeSignal }) =>
      ChangeMode === 'signal' ? [ChangeSignal] : [],
    ),
  ])
  return [...new Set(signals)].sort(compareBytewise)
}

class ConstraintList {
  readonly #inputConstraints: readonly Constraint[] | null
  #addedConstraints: Constraint[] = []

  constructor(inputConstraints: readonly Constraint[] | null) {
    this.#inputConstraints = inputConstraints
  }

  get isChanged(): boolean {
    return this.#addedConstraints.length > 0
  }

  get constraints(): readonly Constraint[] | null {
    return this.isChanged
      ? [...(this.#inputConstraints ?? []), ...this.#addedConstraints]
      : this.#inputConstraints
  }

  addUnlessEqual(constraint: Constraint): void {
    const { LTarget, RTarget, Operand } = constraint
    const isEqual = (other: Constraint) =>
      neutralReference(other.LTarget) === LTarget &&
      other.RTarget === RTarget &&
      other.Operand === Operand
    if (!this.#has(isEqual)) this.#addedConstraints.push(constraint)
  }

  /** Adds a constraint unless the list already contains a constraint on the same attribute. */
  addUnlessTargeted(constraint: Constraint): void {
    const { LTarget } = constraint
    if (!this.#has((other) => neutralReference(other.LTarget) === LTarget))
      this.#addedConstraints.push(constraint)
  }

  #has(test: (constraint: Constraint) => boolean): boolean {
    return (this.#inputConstraints ?? []).some(test) || this.#addedConstraints.some(test)
  }
}
