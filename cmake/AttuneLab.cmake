# The lab: its code in the command line, and the programs it starts from libexec/attune.
file(GLOB lab CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/lab/*.c)
add_library(attune-lab STATIC ${lab})
target_link_libraries(attune-lab PUBLIC attune-core)
target_link_libraries(attune PRIVATE attune-lab)

add_executable(attune-lab-agent src/lab/programs/agent.c)
target_link_libraries(attune-lab-agent PRIVATE attune-lab)
add_executable(attune-delay src/lab/programs/delay.c)
target_link_libraries(attune-delay PRIVATE attune-flags Threads::Threads)
set(ATN_LAB_PROGRAMS attune-lab-agent attune-delay)
set_target_properties(${ATN_LAB_PROGRAMS} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/libexec/attune)

# Builds without MPI, but only MPICH needs it.
if("mpich" IN_LIST ATN_FLAVOURS)
    add_library(labyield SHARED src/lab/programs/yield.c)
    target_link_libraries(labyield PRIVATE attune-flags dl)
    list(APPEND ATN_LAB_LIBRARIES labyield)
endif()

if(NOT ATN_PROGRAMS)
    return()
endif()
foreach(flavour IN LISTS ATN_FLAVOURS)
    atn_mpi_programs(${flavour} tests/lab labtests)
endforeach()
