# find_package(Attune) for programs that use the headers of Attune.  There is no library to link: the functions are
# weak symbols of the preload library, which `attune run` loads.
#   Attune::headers         include directory
#   Attune_PRELOAD_OPENMPI  preload library, if it is installed; likewise Attune_PRELOAD_MPICH
#   Attune_COMMAND          the command
get_filename_component(Attune_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET Attune::headers)
    add_library(Attune::headers INTERFACE IMPORTED)
    set_target_properties(Attune::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Attune_PREFIX}/include")
endif()
set(Attune_COMMAND "${Attune_PREFIX}/bin/attune")
foreach(flavour openmpi mpich)
    string(TOUPPER ${flavour} upper)
    set(Attune_PRELOAD_${upper} "")
    if(EXISTS "${Attune_PREFIX}/lib/attune/libattune-${flavour}.so")
        set(Attune_PRELOAD_${upper} "${Attune_PREFIX}/lib/attune/libattune-${flavour}.so")
    endif()
endforeach()
unset(flavour)
unset(upper)
