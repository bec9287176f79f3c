import type { FieldDiff, JobDiff, ObjectDiff } from '../../state/scheduler/diff/shapes.ts'

/** What has changed, as a tree: a field with its texts, or an object with what has changed in it. */
export interface ChangedPart {
  readonly kind: 'added' | 'deleted' | 'edited'
  readonly name: string
  /** Texts of a field before and after. */
  readonly texts?: readonly [before: string, after: string]
  readonly parts: readonly ChangedPart[]
}

const kinds: Readonly<Record<string, ChangedPart['kind']>> = {
  Added: 'added',
  Deleted: 'deleted',
  Edited: 'edited',
}

interface Differing {
  readonly Type: string
  readonly Fields: readonly FieldDiff[] | null
  readonly Objects: readonly ObjectDiff[] | null
}

/** What has changed in a job, without what has not. */
export function changedParts(diff: JobDiff): readonly ChangedPart[] {
  const groups = (diff.TaskGroups ?? []).flatMap((group) => {
    const tasks = (group.Tasks ?? []).flatMap((task) => partOf(`task ${task.Name}`, task))
    return partOf(`group ${group.Name}`, group, tasks)
  })
  return [...partsOf(diff), ...groups]
}

function partsOf({ Fields, Objects }: Differing): readonly ChangedPart[] {
  const fields = (Fields ?? []).flatMap(({ Type, Name, Old, New }): readonly ChangedPart[] => {
    const kind = kinds[Type]
    return kind === undefined ? [] : [{ kind, name: Name, texts: [Old, New], parts: [] }]
  })
  return [...fields, ...(Objects ?? []).flatMap((object) => partOf(object.Name, object))]
}

function partOf(
  name: string,
  differing: Differing,
  more: readonly ChangedPart[] = [],
): readonly ChangedPart[] {
  const kind = kinds[differing.Type]
  return kind === undefined ? [] : [{ kind, name, parts: [...partsOf(differing), ...more] }]
}

/** The name that says whether a field is secret: of a map's member it is that of the member. */
export function innerName(name: string): string {
  return /\[(.+)\]$/.exec(name)?.[1] ?? name
}
