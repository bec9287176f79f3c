import { any, bool, type Shape, type StructShape, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { type AccessKind, accessKind } from '../../../state/platform/team-access/access-levels.ts'
import { accessValues, type TeamAccess } from '../../../state/platform/team-access/team-access.ts'
import { optionalMembers, readMembers, strictFlag, strictText } from '../json-api/attributes.ts'
import {
  linkedRelation,
  linkedRelationOf,
  type Resource,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import type { ParsedBody, PlatformContext } from '../operation.ts'

/** Returns the resource type of a kind of access, such as `team-workspaces`. */
export function accessType({ target }: AccessKind): string {
  return `team-${target}s`
}

/**
 * Returns the shape of each attribute in one group of `AccessKind.groups`, by the attribute's name.
 *
 * @param level shape of attributes that have levels
 * @param flag shape of attributes without levels, which are granted or not
 */
function membersOf(
  parts: AccessKind['groups'][string],
  level: Shape,
  flag: Shape,
): Record<string, Shape> {
  return Object.fromEntries(
    Object.entries(parts).map(([name, { levels }]) => [name, levels === undefined ? flag : level]),
  )
}

export function accessShape(kind: AccessKind): StructShape {
  const groups = Object.entries(kind.groups).map(([group, parts]) => {
    const members = membersOf(parts, text, bool)
    return group === '' ? members : { [group]: struct(members) }
  })
  return resourceShape(
    accessType(kind),
    struct({ access: text, ...Object.assign({}, ...groups) }),
    {
      relationships: struct({
        team: linkedRelationOf('teams'),
        [kind.target]: linkedRelationOf(`${kind.target}s`),
      }),
      links: selfLink,
    },
  )
}

export function accessResource(row: TeamAccess): Resource {
  const kind = accessKind(row.id)
  const { id, team, target, access } = row
  const values = accessValues(row)
  const attributes: Record<string, unknown> = { access }
  for (const [group, parts] of Object.entries(kind.groups)) {
    const members = Object.fromEntries(Object.keys(parts).map((name) => [name, values[name]]))
    if (group === '') Object.assign(attributes, members)
    else attributes[group] = members
  }
  return {
    id,
    type: accessType(kind),
    attributes,
    relationships: {
      team: linkedRelation('teams', team),
      [kind.target]: linkedRelation(`${kind.target}s`, target),
    },
    links: { self: `/api/v2/${accessType(kind)}/${id}` },
  }
}

/** Returns the shape of the attributes that callers can send for a kind of access. */
export function accessInput({ groups }: AccessKind) {
  const { '': flat = {}, ...nested } = groups
  return optionalMembers({
    access: strictText,
    ...membersOf(flat, strictText, strictFlag),
    ...Object.fromEntries(Object.keys(nested).map((group) => [group, any])),
  })
}

/**
 * Converts the attributes of a body to the input for a team's access. The values are grouped as in
 * `kind.groups`. Throws 422 for invalid members of a group.
 */
export function accessInputOf(
  kind: AccessKind,
  { attributes }: Pick<ParsedBody<ReturnType<typeof accessInput>>, 'attributes'>,
  { dialect }: Pick<PlatformContext<unknown>, 'dialect'>,
) {
  const { access, ...rest }: Readonly<Record<string, unknown>> = attributes
  const groups = Object.entries(kind.groups).map(([group, parts]) => {
    const shape = optionalMembers(membersOf(parts, strictText, strictFlag))
    const sent = group === '' ? rest : readMembers(group, shape, rest[group], dialect)
    return [group, knownValues(sent ?? {})] as const
  })
  return {
    ...(typeof access === 'string' || access === null ? { access } : {}),
    groups: Object.fromEntries(groups),
  }
}

/**
 * Returns the members of an object that are strings, booleans or null, with an empty string for
 * null.
 */
function knownValues(sent: Readonly<Record<string, unknown>>): Record<string, string | boolean> {
  const values: Record<string, string | boolean> = {}
  for (const [name, value] of Object.entries(sent)) {
    if (typeof value === 'string' || typeof value === 'boolean') values[name] = value
    else if (value === null) values[name] = ''
  }
  return values
}
