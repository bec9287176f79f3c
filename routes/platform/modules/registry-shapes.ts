import { bool, constant, int, list, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'

const emptyList = list(text, { maxItems: 0 })

const deprecationShape = struct({ reason: text, link: text })

const rootShape = struct({ providers: emptyList, dependencies: emptyList })

/** Shape of the reply with the versions of a module. */
export const versionsShape = struct({
  modules: list(
    struct({
      source: text,
      versions: list(
        struct({
          version: text,
          root: rootShape,
          submodules: emptyList,
          deprecation: nullable(deprecationShape),
        }),
      ),
    }),
  ),
})

const summaryMembers = {
  id: text,
  owner: constant(''),
  namespace: text,
  name: text,
  version: text,
  provider: text,
  provider_logo_url: constant(''),
  description: constant(''),
  source: text,
  tag: constant(''),
  published_at: text,
  downloads: int,
  verified: bool,
}

/** Shape of the reply with one version of a module. */
export const detailShape = struct({
  ...summaryMembers,
  root: struct({
    path: constant(''),
    name: text,
    readme: constant(''),
    empty: bool,
    inputs: emptyList,
    outputs: emptyList,
    dependencies: emptyList,
    provider_dependencies: emptyList,
    resources: emptyList,
  }),
  submodules: emptyList,
  examples: emptyList,
  providers: list(text),
  versions: list(text),
  deprecation: optional(deprecationShape),
})

export const pageShape = struct({
  meta: struct({
    limit: int,
    current_offset: int,
    next_offset: optional(int),
    next_url: optional(text),
    prev_offset: optional(int),
    prev_url: optional(text),
  }),
  modules: list(struct(summaryMembers)),
})

export const pageQuery = {
  limit: described(text, 'Number of modules on a page, 1 to 100; 15 by default'),
  offset: described(text, 'Number of modules before the page'),
  provider: text,
}
