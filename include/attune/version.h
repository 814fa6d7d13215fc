/**
 * @file version.h
 * @brief Version of the Attune headers.
 *
 * The macros give the version a program was compiled with; attune_version() in attune/attune.h
 * gives the version of the library that is loaded.
 *
 * Stability: before version 1.0 a minor version may change these headers incompatibly, a patch
 * version does not.  From 1.0 on, incompatible changes require a new major version.  Programs that
 * use Attune without its headers are not affected.
 *
 * The numbers repeat the file VERSION of the source tree; the build stops when they differ.
 */
#ifndef ATTUNE_VERSION_H
#define ATTUNE_VERSION_H

#define ATTUNE_VERSION_MAJOR 0 /**< Changes when programs must be adapted. */
#define ATTUNE_VERSION_MINOR 1 /**< Changes when functions are added. */
#define ATTUNE_VERSION_PATCH 0 /**< Changes when errors are corrected. */

/** The version as one number that can be compared: 10203 for 1.2.3. */
#define ATTUNE_VERSION_NUMBER                                                                      \
    (ATTUNE_VERSION_MAJOR * 10000 + ATTUNE_VERSION_MINOR * 100 + ATTUNE_VERSION_PATCH)

/** Whether the headers have at least this version; usable in `#if`. */
#define ATTUNE_VERSION_AT_LEAST(major, minor, patch)                                               \
    (ATTUNE_VERSION_NUMBER >= (major)*10000 + (minor)*100 + (patch))

#endif
