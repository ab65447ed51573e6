# SPDX-License-Identifier: Apache-2.0
# find_package(aclcheck):
#   aclcheck::aclcheck        aclcheck.h
#   aclcheck::softnpu         AscendCL's headers and the software runtime
#   aclcheck_add_test(NAME name COMMAND command [argument...] [SOFTNPU] [OPTIONS option...])
#       A test that runs the command under aclcheck and fails unless the verdict is pass; the first word may be a
#       target. SOFTNPU: on the software runtime. OPTIONS: of `aclcheck run`. The report is name.aclcheck.json in
#       the present binary directory.
get_filename_component(_aclcheck_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(ACLCHECK_EXECUTABLE "${_aclcheck_prefix}/bin/aclcheck")

if(NOT TARGET aclcheck::aclcheck)
  add_library(aclcheck::aclcheck INTERFACE IMPORTED)
  set_target_properties(aclcheck::aclcheck PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_aclcheck_prefix}/include")
  add_library(aclcheck::softnpu SHARED IMPORTED)
  set_target_properties(
    aclcheck::softnpu PROPERTIES IMPORTED_LOCATION "${_aclcheck_prefix}/lib/softnpu/libascendcl.so"
                                 INTERFACE_INCLUDE_DIRECTORIES "${_aclcheck_prefix}/include/softnpu")
endif()

function(aclcheck_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 TEST "SOFTNPU" "NAME" "COMMAND;OPTIONS")
  if(NOT TEST_NAME OR NOT TEST_COMMAND OR TEST_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "aclcheck_add_test(NAME name COMMAND command [argument...] [SOFTNPU] [OPTIONS option...])")
  endif()
  list(GET TEST_COMMAND 0 program)
  if(TARGET ${program})
    list(REMOVE_AT TEST_COMMAND 0)
    list(INSERT TEST_COMMAND 0 "$<TARGET_FILE:${program}>")
  endif()
  if(TEST_SOFTNPU)
    list(APPEND TEST_OPTIONS --softnpu)
  endif()
  add_test(NAME ${TEST_NAME}
           COMMAND "${ACLCHECK_EXECUTABLE}" run --report "${CMAKE_CURRENT_BINARY_DIR}/${TEST_NAME}.aclcheck.json"
                   ${TEST_OPTIONS} -- ${TEST_COMMAND})
endfunction()
