import type { FieldDiff, JobDiff, ObjectDiff } from '../../state/scheduler/diff/shapes.ts'

/** Node of a tree of changes: a field with its texts, or an object with its changed members. */
export interface ChangedPart {
  readonly kind: 'added' | 'deleted' | 'edited'
  readonly name: string
  /** Texts of a field before and after the change; missing for an object. */
  readonly values?: readonly [before: string, after: string]
  readonly parts: readonly ChangedPart[]
}

const kindByType: Readonly<Record<string, ChangedPart['kind']>> = {
  Added: 'added',
  Deleted: 'deleted',
  Edited: 'edited',
}

interface ObjectDifference {
  readonly Type: string
  readonly Fields: readonly FieldDiff[] | null
  readonly Objects: readonly ObjectDiff[] | null
}

/** Returns the changed parts of a job, followed by those of its groups with their tasks. */
export function changedParts(diff: JobDiff): readonly ChangedPart[] {
  const groups = (diff.TaskGroups ?? []).flatMap((group) => {
    const tasks = (group.Tasks ?? []).flatMap((task) => partOf(`task ${task.Name}`, task))
    return partOf(`group ${group.Name}`, group, tasks)
  })
  return [...partsOf(diff), ...groups]
}

function partsOf({ Fields, Objects }: ObjectDifference): readonly ChangedPart[] {
  const fields = (Fields ?? []).flatMap(({ Type, Name, Old, New }): readonly ChangedPart[] => {
    const kind = kindByType[Type]
    return kind === undefined ? [] : [{ kind, name: Name, values: [Old, New], parts: [] }]
  })
  return [...fields, ...(Objects ?? []).flatMap((object) => partOf(object.Name, object))]
}

function partOf(
  name: string,
  difference: ObjectDifference,
  nested: readonly ChangedPart[] = [],
): readonly ChangedPart[] {
  const kind = kindByType[difference.Type]
  return kind === undefined ? [] : [{ kind, name, parts: [...partsOf(difference), ...nested] }]
}

/**
 * Returns the name that decides whether a field is secret: `KEY` for a map member such as
 * `Env[KEY]`, otherwise the whole name.
 */
export function innerName(name: string): string {
  return /\[(.+)\]$/.exec(name)?.[1] ?? name
}
