import type { Choice } from '../../http/coverage.ts'
import { decided, gap } from './decided.ts'

const section = 'behaviour/scheduler#auth'

/** Who may do what over HTTP. */
export const aclChoices: readonly Choice[] = [
  decided(
    'job-allocation-rights',
    'What callers are told of an allocation that they may not read.',
    '500 "Unknown allocation <id>", and 404 "alloc not found" of one that there is not, as in the reference; stopping an unknown one is 404 "allocation not found" for everybody.',
    section,
  ),
  decided(
    'job-rights-of-ids',
    'Which namespace counts for evaluations and deployments, which are found by ID alone.',
    "Both the request's and their own: 403 without read-job in either, as in the reference.",
    section,
  ),
  decided(
    'job-open-paths',
    'What anybody may ask while ACLs are on, also with an unknown token.',
    'Leader, peers, regions and health.',
    section,
  ),
  decided(
    'job-filtered-lists',
    'What callers without rights are told by the lists of namespaces, node pools and policies.',
    '200 with what they may see, if only []; of policies those that they hold.',
    section,
  ),
  decided(
    'job-acl-hashes',
    'What Hash of roles and tokens is.',
    'SHA-256 of what the reference hashes with BLAKE2b: 32 bytes in base64 that change with it.',
    'behaviour/scheduler#acl-roles',
  ),
  gap(
    'job-acl-logins',
    'What there is of methods of logging in and of binding rules.',
    'Empty lists.',
    'behaviour/scheduler#acl-roles',
  ),
  decided(
    'job-rights-of-waits',
    'When the rights of a blocked read are looked at.',
    'At each change of what it reads and at its end: who may not read any more is told 403 then.',
    section,
  ),
]
