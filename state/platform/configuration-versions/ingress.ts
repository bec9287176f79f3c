import { bool, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'

/** Attributes of the commit that a configuration version comes from. */
export const ingressAttributes = {
  branch: text,
  clone_url: text,
  commit_message: text,
  commit_sha: text,
  commit_url: text,
  compare_url: nullable(text),
  identifier: text,
  is_pull_request: bool,
  on_default_branch: bool,
  pull_request_number: nullable(uint),
  pull_request_url: nullable(text),
  pull_request_title: nullable(text),
  pull_request_body: nullable(text),
  tag: nullable(text),
  sender_username: text,
  sender_avatar_url: text,
  sender_html_url: text,
}

/** Stored commit of a configuration version. The id has the form `ia-…`. */
export const ingressShape = struct({ id: text, ...ingressAttributes })

/**
 * The commit that a configuration version was created from (behaviour/platform#workspace-pushes).
 */
export interface Ingress extends StoredOf<typeof ingressShape> {}
