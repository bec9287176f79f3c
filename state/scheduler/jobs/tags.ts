import { quoteGo } from '../../go/text.ts'
import { text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { ParsedOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { writtenIndex } from '../indexes.ts'
import { refuse } from '../messages.ts'
import { jobVersionsOf, tagOf } from '../records/store.ts'
import { nanosecondsNow, setVersionTag } from '../records/versions.ts'

/** The request body for a tag. */
export const tagShape = struct('TagVersionRequest', { Version: uint, Description: text })

/** The version's tag after the request; empty if it was removed. */
interface TagReply {
  readonly Name: string
  readonly Description: string
  readonly TaggedTime: number
  readonly Index: number
}

/**
 * Tags a version of a job, replacing its earlier tag (behaviour/scheduler#deployments).
 *
 * @throws Refusal 500 if there is no such version, or another version has the tag
 */
export function tagVersion(
  world: World,
  namespace: string,
  id: string,
  name: string,
  { Version, Description }: ParsedOf<typeof tagShape>,
): TagReply {
  const number = Version ?? 0
  const versions = jobVersionsOf(world, namespace, id)
  const job = quoteGo(id)
  if (versions.some((version) => tagOf(version) === name && version.Version !== number)) {
    throw refuse('tag-taken', { tag: quoteGo(name), job })
  }
  const version = versions.find((each) => each.Version === number)
  if (version === undefined) throw refuse('tagged-version-not-found', { job, version: number })
  const tag = { Name: name, Description: Description ?? '', TaggedTime: nanosecondsNow(world) }
  world.write(() => setVersionTag(world, version, tag))
  return { ...tag, Index: writtenIndex(world) }
}

/**
 * Removes a tag from the version that has it.
 *
 * @throws Refusal 500 if no version has the tag
 */
export function untagVersion(world: World, namespace: string, id: string, name: string): TagReply {
  const version = jobVersionsOf(world, namespace, id).find((each) => tagOf(each) === name)
  if (version === undefined) {
    throw refuse('job-tag-not-found', { tag: quoteGo(name), job: quoteGo(id) })
  }
  world.write(() => setVersionTag(world, version, null))
  return { Name: '', Description: '', TaggedTime: 0, Index: writtenIndex(world) }
}
