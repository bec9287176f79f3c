import type { Choice } from '../../http/coverage.ts'
import { decided, gap } from './decided.ts'

/** Policies, tokens and namespaces. */
export const rightsChoices: readonly Choice[] = [
  decided(
    'job-policy-equal-globs',
    'Which of two equally long patterns counts.',
    'The last in byte order, as the reference sorts them.',
    'behaviour/scheduler#auth',
  ),
  decided(
    'job-anonymous-accessor',
    'The SchedTokenID of jobs that callers without a token register while ACLs are on.',
    'anonymous, as in the reference.',
    'behaviour/scheduler#auth',
  ),
  decided(
    'job-node-rights',
    'Who may read nodes and node pools while ACLs are on.',
    'Callers whose policies say so in node and node_pool blocks.',
    'behaviour/scheduler#auth',
  ),
  decided(
    'job-token-life',
    'How long tokens may live.',
    'From a minute to a day; expired ones are deleted.',
    'behaviour/scheduler#beyond',
  ),
  decided(
    'job-acl-extras',
    'What replies about policies leave out of the reference.',
    'Hash and RulesJSON; JobACL is sent back without effect.',
    'behaviour/scheduler#beyond',
  ),
  gap(
    'job-acl-roles',
    "Parts of the reference's ACL system that there are not.",
    'Writing authentication methods and binding rules, and logging in: 404. One-time tokens: their paths are taken for those of tokens.',
    'behaviour/scheduler#beyond',
  ),
]
