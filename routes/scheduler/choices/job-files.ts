import type { Choice } from '../../http/coverage.ts'
import { decided, gap } from './decided.ts'

const section = 'behaviour/scheduler#job-files'

/** Job files: their language and their blocks. */
export const jobFileChoices: readonly Choice[] = [
  decided(
    'job-file-size',
    'How long a job file, or the text of its variables, may be.',
    '1,048,576 characters; longer ones are refused as "Document too large".',
    section,
  ),
  decided(
    'job-file-budget',
    'What evaluating a job file may cost.',
    'A million steps and eight for each character; a block costs 150. Beyond that: "Evaluation too expensive".',
    section,
  ),
  decided(
    'job-file-order-of-problems',
    'In which order problems are told.',
    "Of each body its arguments first, then blocks that may not be there, then what is in the others, those of one type together, each in the order of the file; at most 100 (the reference's order is random).",
    section,
  ),
  decided(
    'job-file-config-problems',
    'When driver configuration and other free values are evaluated.',
    'When nothing else is wrong; then the first problem is told and the others are counted.',
    section,
  ),
  decided(
    'job-file-scaling-type',
    'What parsing without Canonicalize fills beyond the listed members.',
    'Nothing: Scaling.Type, ErrMissingKey and DisableFile stay null.',
    section,
  ),
  decided(
    'job-file-short-constraints',
    'What unusual short forms of constraints give.',
    'distinct_hosts = false gives the RTarget "false"; empty short forms have no effect; is_set and is_not_set are read without effect.',
    section,
  ),
  decided(
    'job-file-free-objects',
    'What objects without a declared form hold.',
    'The members that were written, and no others.',
    section,
  ),
  decided(
    'job-file-identities',
    'Where identities of a task go.',
    'The one without a name to Identity, the others to Identities.',
    section,
  ),
  decided(
    'job-file-dropped-blocks',
    'Blocks and arguments that are read and dropped.',
    'secrets_grace alone; those of later releases are refused.',
    section,
  ),
  decided(
    'job-file-secrets-of-group',
    'Two secrets blocks in a group, and mistakes in them.',
    "Lost in a group's block, as in the reference; refused in a job's and a task's.",
    section,
  ),
  decided(
    'job-file-dynamic-config',
    'Whether dynamic blocks work inside config.',
    'No, they are data; iterators of dynamic blocks around it are known there.',
    section,
  ),
  decided(
    'job-file-null-arguments',
    'What null is for arguments that are not optional in the reference.',
    'Refused: "null value is not allowed".',
    section,
  ),
  decided(
    'job-file-neutral-names',
    'Which names of blocks and arguments are read.',
    "mesh, mesh_token, secrets and secrets_token, and the vendor's, in either dialect; the dialect decides what is suggested.",
    section,
  ),
  decided(
    'language-numbers',
    'How exact numbers of the language are.',
    'They are doubles whose arithmetic drops the binary tail; what is infinite or no number is refused.',
    section,
  ),
  decided(
    'language-logic',
    'Whether && and || look at both sides.',
    'Yes, as the newest reference: problems of the side that does not decide are dropped.',
    section,
  ),
  decided(
    'language-empty-types',
    'Which types null and empty collections agree with.',
    'Null with any, empty ones with any of their kind.',
    section,
  ),
  decided(
    'language-unset-variable',
    'What the text about an unset variable points to.',
    "A page of example.com, in the vendor dialect the vendor's; the problem is told alone.",
    section,
  ),
  decided(
    'language-circular-locals',
    'What locals that need each other give.',
    '"Unsupported attribute", as in the reference; of several failing locals the first is told.',
    section,
  ),
  decided(
    'language-variable-types',
    'Which type constraints a variable may have.',
    'Those of the decisions with any and optional(T); optional takes no default.',
    section,
  ),
  decided(
    'language-unknown-roots',
    'How references to unknown names are written back.',
    'In one form: without blanks, an index by a point as it was.',
    section,
  ),
  decided(
    'language-json-files',
    'How a job file in JSON is read beyond the native syntax.',
    'Only the first syntax error is told; of repeated keys in a value the last counts.',
    section,
  ),
  decided(
    'function-limits',
    'What functions refuse for their size.',
    'Regular expressions of over 10,000 steps, JSON deeper than 200, YAML over 32 KiB or deeper than 50.',
    section,
  ),
  decided(
    'function-faults',
    'Where functions complain differently from the reference.',
    "Negative indentation and null keys are faults; texts and places of YAML syntax errors are near the reference's.",
    section,
  ),
  gap(
    'function-left-out',
    'Functions that there are not.',
    'bcrypt, rsadecrypt, regex and templatefile are unknown functions.',
    section,
  ),
]
