import { map, text, uint } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'

/** Body of the control call that pushes commits to a repository. */
export const commitEventShape = struct({
  repository: described(text, 'Identifier of the repository, as `owner/name`'),
  branch: described(optional(text), 'Branch, or target of a pull request; `main` if left out'),
  commit: described(optional(text), 'SHA of the commit; generated if left out'),
  message: described(optional(text), 'Message of the commit'),
  sender: described(optional(text), 'Name of the user at the provider'),
  files: described(
    optional(map(text)),
    'Changed files with their texts, which become the files of the version. Without files, the push concerns every connected workspace',
  ),
  pullRequest: optional(
    struct({
      number: uint,
      title: optional(text),
      body: optional(text),
      url: optional(text),
    }),
  ),
  tag: described(optional(text), 'Tag that was pushed instead of a branch'),
})

/** A push to a branch or a tag, or a change of a pull request. */
export interface CommitEvent extends StoredOf<typeof commitEventShape> {}
